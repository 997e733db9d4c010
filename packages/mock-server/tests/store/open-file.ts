// Opens a data file in a process of its own, as a user without privileges if that is possible. Prints what happened.
import { openSqliteStores } from "../../src/store/sqlite.ts";

const [path = "", unprivileged] = process.argv.slice(2);
// After the imports: this user may not be able to read them.
if (unprivileged && process.getuid?.() === 0) process.setuid?.(65_534);
try {
  openSqliteStores(path).close();
  console.log("opened");
} catch (error) {
  console.log(String(error));
}
