"""What is in a skill, judged from its bytes alone.

The way of a scan: `identify` says what each file is, `layers` decodes it into texts that know
where they came from, `markdown` tells a document's parts apart, the analysers (one Protocol, in
`analyser`) find things in those facts, `context` and `policy` weigh each find where it stands,
and `scanner.scan` puts the report together. Nothing here reads a disk other than the packaged
rules, runs anything, or asks the time.
"""

from __future__ import annotations
