// The parts of Cloudflare Workers that the mock server uses, so that it depends on no package of types.

/** A value of a column. */
type SqlValue = string | number | null | ArrayBuffer;

/** The database of a Durable Object. */
export interface SqlStorage {
  /** Runs a query and returns its rows. */
  exec(query: string, ...values: (string | number | null)[]): Iterable<Record<string, SqlValue>>;
}

/** What a Durable Object keeps. */
export interface ObjectStorage {
  /** The object's SQLite database. */
  readonly sql: SqlStorage;
  /** Commits what the task writes, or nothing if it throws. */
  transactionSync<Result>(task: () => Result): Result;
  /** Calls the object's `alarm` once at a time in milliseconds since the epoch, in place of the alarm that was set before. */
  setAlarm(at: number): Promise<void>;
  /** Cancels the alarm. */
  deleteAlarm(): Promise<void>;
  /** Deletes everything that the object keeps. */
  deleteAll(): Promise<void>;
}

/** What a Durable Object gets when it is constructed. */
export interface ObjectState {
  /** What the object keeps. */
  readonly storage: ObjectStorage;
}

/** Answers requests: a Durable Object, or the files of the inspector. */
export interface Fetcher {
  /** Responds to a request. */
  fetch(request: Request): Promise<Response>;
}

/** The Durable Objects of a class. */
export interface ObjectNamespace<Id = unknown> {
  /** Returns the id of the object with this name. */
  idFromName(name: string): Id;
  /** Returns the object with this id. */
  get(id: Id): Fetcher;
}

/** Bindings, settings and secrets of the Worker, as wrangler.jsonc names them. */
export interface WorkerEnv {
  /** The class `Sandbox`. */
  readonly SANDBOX: ObjectNamespace;
  /** The class `SandboxDirectory`. */
  readonly DIRECTORY: ObjectNamespace;
  /** The files of the inspector; without them, the inspector answers that they are missing. */
  readonly ASSETS?: Fetcher;
  /** The bearer token of the control plane, a secret of 16 to 256 characters. Without it the control plane refuses everything. */
  readonly CONTROL_TOKEN?: string;
  /** The host names that select a sandbox, such as `*.mock.example.com`; none by default. */
  readonly SANDBOX_HOST?: string;
  /** Whether a request to an unknown sandbox creates it: `true` or `false`, the default. */
  readonly AUTO_SANDBOXES?: boolean | string;
  /** The maximum number of sandboxes, including `default`: an integer from 1, 1000 by default. */
  readonly MAX_SANDBOXES?: number | string;
  /** Days without a request after which a sandbox is deleted, 30 by default; 0 keeps all. `default` is never deleted. */
  readonly SANDBOX_IDLE_DAYS?: number | string;
  /** Options of `default`, and of other sandboxes that name none, as in `POST /_control/v1/sandboxes`. */
  readonly SANDBOX_OPTIONS?: object | string;
  /** Other origins whose pages may use the API, separated by commas, such as `http://localhost:5173` or `https://*.example.com`; none by default. */
  readonly CORS_ORIGINS?: string;
}

/** The object of a sandbox. */
export function sandboxNamed({ SANDBOX }: Pick<WorkerEnv, "SANDBOX">, name: string): Fetcher {
  // A new stub each time: after an error, a stub fails for good.
  return SANDBOX.get(SANDBOX.idFromName(name));
}

/** The one directory. */
export function directoryOf({ DIRECTORY }: Pick<WorkerEnv, "DIRECTORY">): Fetcher {
  return DIRECTORY.get(DIRECTORY.idFromName("directory"));
}
