// The server places the call, and then the connection breaks.
// Does the phone ring once?
import { compare, inShort } from "./clients.mjs";

const options = { faults: ["createCall process_then_reset always"] };

await compare(options, async (place, count) => {
  const error = await place().catch((caught) => caught);
  const lines = [`calls placed: ${count().calls}`, inShort(error)];
  if (!error.reconcile) return lines;
  const { candidates } = await error.reconcile();
  return [...lines, `reconcile() finds ${candidates.length}`];
});
