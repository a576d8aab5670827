"""The only doors to the outside: host, disk, archives, HTTP, git, database."""
