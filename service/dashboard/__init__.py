"""The pages people look at: rendered here, refreshed by events, never loading anything from elsewhere."""
