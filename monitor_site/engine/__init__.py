"""The door for time: schedule, promoter, workers."""
