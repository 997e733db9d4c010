import type { BackendEvent } from "@call-transfer/backend";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Control } from "./control.ts";
import { messageIn, throttled } from "./format.ts";
import { useSession } from "./session.ts";

/** Data of the control plane that is read again when an event says that it changed. */
export interface Live<Data> {
  /** Undefined until it is read for the first time. */
  readonly data: Data | undefined;
  /** Why it could not be read. */
  readonly error: string | undefined;
  /** Reads it again. */
  reload(): void;
}

/** How often data is read again at most, in milliseconds. */
const pauseMs = 200;

/**
 * Reads data of the current sandbox, and again when one of its events changes it.
 *
 * @param load Reads the data.
 * @param changes Whether an event may have changed the data; none does by default.
 * @param key The value that `load` depends on, such as an id: another key reads again.
 */
export function useLive<Data>(
  load: (control: Control) => Promise<Data>,
  changes: (event: BackendEvent) => boolean = () => false,
  key = "",
): Live<Data> {
  const session = useSession();
  const state = useSignal<Omit<Live<Data>, "reload">>({ data: undefined, error: undefined });
  const reload = useSignal(() => {});
  const control = session.control.value;
  useEffect(() => {
    let isCurrent = true;
    state.value = { data: undefined, error: undefined };
    const read = throttled(pauseMs, async () => {
      const next = await load(control).then(
        (data) => ({ data, error: undefined }),
        (error: unknown) => ({ data: state.value.data, error: messageIn(error) }),
      );
      if (isCurrent) state.value = next;
    });
    reload.value = read;
    read();
    const stop = session.onEvents((events) => {
      if (events.some((event) => isReload(event.type) || changes(event))) read();
    });
    return () => {
      isCurrent = false;
      stop();
    };
  }, [control, key]);
  return { ...state.value, reload: () => reload.value() };
}

/** Whether everything may have changed. */
function isReload(type: string): boolean {
  return /^(?:stream[.](?:began|gap)|sandbox[.](?:reset|restored|seeded)|scenario[.]applied)$/.test(type);
}
