// `npm start`: the mock server's command from its sources, with the inspector built first if it is not current.
import { buildInspector } from "./build-inspector.ts";

await buildInspector(() => console.error("Building the inspector …"));
await import("../packages/mock-server/src/cli.ts");
