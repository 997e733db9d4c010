// A hosted mock server in Cloudflare's runtime. Its arguments are the folder of its data, the port and the control token.
import { startWorkerd } from "../../../tests/hosting/workerd.ts";

const [folder = "", port = "", token = ""] = process.argv.slice(2);
await startWorkerd({ folder, port: Number(port), settings: { CONTROL_TOKEN: token } });
console.log("ready");
