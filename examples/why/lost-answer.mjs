// The server places the call, and then the connection breaks. Does the phone ring once?
import { compare, inShort } from "./clients.mjs";

await compare({ faults: ["createCall processThenDrop always"] }, async (place, count) => {
  const error = await place().catch((caught) => caught);
  const placed = `calls placed: ${count().calls}, ${inShort(error)}`;
  if (!error.reconcile) return placed;
  const { candidates } = await error.reconcile();
  return `${placed} reconcile() finds ${candidates.length}.`;
});
