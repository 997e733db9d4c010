// A mock server with SQLite and a planted mistake. Its arguments are the file, the port and the name of the plant.
import { startMockServer } from "../../../packages/mock-server/src/server/server.ts";
import { openSqliteStores } from "../../../packages/mock-server/src/store/sqlite.ts";
import { type PlantName, plantIn } from "./plants.ts";

const [file = "", port = "", plant = ""] = process.argv.slice(2);
await startMockServer({ port: Number(port), stores: plantIn(openSqliteStores(file), plant as PlantName) });
