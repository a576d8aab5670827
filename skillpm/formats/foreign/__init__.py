"""What other tools write down about the skills that they install, read and never written."""
