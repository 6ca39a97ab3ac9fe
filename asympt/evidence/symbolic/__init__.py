"""The law put back into what it came from, exactly: nothing above the stated remainder may be left."""
