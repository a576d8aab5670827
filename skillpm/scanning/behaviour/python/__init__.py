"""Python: what its code does."""

from skillpm.scanning.behaviour.python.front import PythonFrontEnd as PythonFrontEnd
