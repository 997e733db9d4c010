"""Written by `npm run generate`."""
