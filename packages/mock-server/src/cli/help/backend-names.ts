// Loaded only to print a script. A dynamic import of the entries themselves would add the whole backend to each file of the command.
import { createBackend } from "@call-transfer/backend";
import { scenarios } from "@call-transfer/backend/unstable";

/** Names that only the backend knows, by the placeholder that stands for them in usages. */
export const backendNames = {
  SCENARIO: scenarios.map((one) => one.name),
  POLICY: Object.keys(createBackend({ seed: {} }).policies),
};
