// Runs the recipes that receive offers: each as two processes with a store that they share, and with a place for its secrets
// that can change while it runs.
import { rename, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../../../scripts/packed.ts";
import type { RecipeName } from "../../../site/starts.ts";
import { startRedis } from "../../receiving/servers.ts";
import { recipeFolder, startCommand } from "./folders.ts";
import { listen, type Running, startServer } from "./processes.ts";
import { openWorkers } from "./worker.ts";

/** A running receiver of two processes. */
export interface Receiver {
  /** The address of each process. */
  readonly urls: readonly string[];
  /** What they have printed. */
  output(): string;
  /** Changes its secrets while it runs. */
  setSecrets(secrets: readonly string[]): Promise<void>;
}

/** Runs a receiver, at first with one secret, as long as it is used. */
export type RunReceiver = <Result>(secret: string, use: (receiver: Receiver) => Promise<Result>) => Promise<Result>;

type Variables = Readonly<Record<string, string>>;
type Start = (variables: Variables) => Promise<Running>;

const gateway = fileURLToPath(new URL("lambda-gateway.ts", import.meta.url));

const lines = (secrets: readonly string[]): string => secrets.map((secret) => `${secret}\n`).join("");

/** Ends something when its scope ends. Declare it with `await using`. */
const ending = (end: () => unknown): AsyncDisposable => ({
  async [Symbol.asyncDispose]() {
    await end();
  },
});

/** Starts two processes that share a Redis. */
async function withTwo<Result>(
  start: Start,
  variables: Variables,
  use: (two: Pick<Receiver, "urls" | "output">) => Promise<Result>,
): Promise<Result> {
  await using redis = await startRedis();
  const first = await start({ ...variables, REDIS_URL: redis.url });
  await using _first = ending(first.stop);
  const second = await start({ ...variables, REDIS_URL: redis.url });
  await using _second = ending(second.stop);
  return await use({ urls: [first.url, second.url], output: () => `${first.output()}\n${second.output()}` });
}

/** A receiver that reads its secrets from a file. */
export const withSecretsFile =
  (start: Start): RunReceiver =>
  async (secret, use) => {
    using folder = temporaryFolder("secrets");
    const file = join(folder.path, "secrets");
    const setSecrets = async (secrets: readonly string[]): Promise<void> => {
      await writeFile(`${file}.new`, lines(secrets));
      // The receiver never sees half a file.
      await rename(`${file}.new`, file);
    };
    await setSecrets([secret]);
    return await withTwo(start, { CALL_TRANSFER_SIGNING_SECRETS_FILE: file }, (two) => use({ ...two, setSecrets }));
  };

/** A recipe for Node, in its folder. */
export const nodeReceiver = (name: RecipeName): RunReceiver =>
  withSecretsFile((variables) => startServer(recipeFolder(name), startCommand(recipeFolder(name)), variables));

/** A Lambda function, which reads its secrets from the extension for the Secrets Manager. */
export const lambdaReceiver =
  (folder: string): RunReceiver =>
  async (secret, use) => {
    let secrets: readonly string[] = [secret];
    const token = "session-token";
    const extension = createServer((request, response) => {
      const isExpected = request.url === "/secretsmanager/get?secretId=offers%2Fsecrets";
      const isAllowed = request.headers["x-aws-parameters-secrets-token"] === token;
      if (!isExpected || !isAllowed) return response.writeHead(400).end();
      return response.end(JSON.stringify({ Name: "offers/secrets", SecretString: lines(secrets) }));
    });
    const { port } = new URL(await listen(extension));
    await using _extension = ending(() => extension.close().closeAllConnections());
    const variables = {
      AWS_SESSION_TOKEN: token,
      CALL_TRANSFER_SIGNING_SECRETS_ID: "offers/secrets",
      PARAMETERS_SECRETS_EXTENSION_HTTP_PORT: port,
    };
    const setSecrets = async (next: readonly string[]): Promise<void> => {
      secrets = next;
    };
    const start: Start = (all) =>
      startServer(folder, [process.execPath, gateway, join(folder, "receive/lambda.ts")], all);
    return await withTwo(start, variables, (two) => use({ ...two, setSecrets }));
  };

/**
 * A Worker in two isolates, which share Durable Objects, since a Worker cannot keep a connection to Redis from one request to
 * the next. It reads its secrets from the Secrets Store.
 */
export const workerReceiver: RunReceiver = async (secret, use) => {
  const workers = [{ name: "first" }, { name: "second" }];
  const { urls, output, stop, miniflare } = await openWorkers(recipeFolder("receive-worker"), workers);
  await using _workers = ending(stop);
  const store = (await miniflare.getSecretsStoreSecretAPI("CALL_TRANSFER_SIGNING_SECRETS", "first"))();
  const id = await store.create(lines([secret]));
  const setSecrets = async (secrets: readonly string[]): Promise<void> => {
    await store.update(lines(secrets), id);
  };
  return await use({ urls, output, setSecrets });
};
