"""Words in, outcomes out: one module a family of commands; `render` is the only printer."""
