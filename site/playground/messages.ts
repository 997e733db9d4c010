/** The name of the worker's script in stack traces. */
export const runtimeName = "playground-runtime.js";

/** A request to the backend of the program. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: ArrayBuffer | undefined;
}

/** A message of the page to the worker of a program. */
export type ToWorker =
  | { readonly type: "run"; readonly source: string }
  | { readonly type: "request"; readonly id: number; readonly request: SentRequest }
  | { readonly type: "abort"; readonly id: number };

/** The kind of a printed text. */
export type Level = "log" | "warn" | "error";

/** A message of the worker of a program to the page. Texts may contain ANSI colours. */
export type FromWorker =
  | { readonly type: "print"; readonly level: Level; readonly text: string }
  /** An error that the program did not catch, and its line if that is known. */
  | { readonly type: "uncaught"; readonly text: string; readonly line: number | undefined }
  /** The last statement has run, or an error ended the program. The backend stays. */
  | { readonly type: "ended"; readonly failed: boolean }
  /** The program has created its first backend. */
  | { readonly type: "backend" }
  | { readonly type: "head"; readonly id: number; readonly status: number; readonly headers: [string, string][] }
  | { readonly type: "chunk"; readonly id: number; readonly chunk: Uint8Array }
  | { readonly type: "end"; readonly id: number }
  | { readonly type: "broken"; readonly id: number; readonly message: string };
