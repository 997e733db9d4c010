/** Where the client writes: any `console`-shaped object. It is never handed headers, bodies or secrets. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Tells once per operation that the server means to change or remove it. */
export function noticeDeprecation(
  headers: Headers,
  operationId: string,
  logger: Logger | undefined,
  noticed: Set<string>,
): void {
  const [deprecation, sunset] = [headers.get("deprecation"), headers.get("sunset")];
  if (!logger || (deprecation === null && sunset === null) || noticed.has(operationId)) return;
  noticed.add(operationId);
  const since = deprecation === null ? "" : ` is deprecated (${deprecation})`;
  const until = sunset === null ? "" : `${since ? " and" : ""} will stop working on ${sunset}`;
  logger.warn(`call-transfer: ${operationId}${since}${until}`);
}
