"""What a skill brings along from elsewhere: packages, indexes, build steps and pipelines."""
