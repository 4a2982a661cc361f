"""What our hooks learn of the CLI, on its way to whoever listens: system messages of our own, by their subtypes."""

BEGAN = "maverick_call_began"
"""The call with this `tool_use_id` runs, and nobody has to be asked."""
JOBS = "maverick_jobs"
"""All jobs of the session, under `jobs`."""
FIRED = "maverick_job_fired"
"""A job begins a turn with the `prompt`."""
