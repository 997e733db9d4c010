// A Worker that runs a case, or one method, over its Durable Objects.
import { eventStoreCases } from "@call-transfer/contract/webhooks";
import {
  durableObjectEventStore,
  type EventStoreNamespace,
  EventStoreObject,
  type EventStoreState,
} from "../../examples/recipes/receive/durable-object.ts";

interface Env {
  readonly EVENTS: EventStoreNamespace<unknown>;
  /** Its alarms go off soon. */
  readonly QUICK: EventStoreNamespace<unknown>;
}

/** What the test asks for. */
export interface Order {
  readonly binding: keyof Env;
  readonly caseName?: string;
  readonly method?: "claim" | "complete";
  readonly values?: readonly [string, string, string | number];
}

export { EventStoreObject };

/** The events that alarms left in the objects, and how often they went off. */
const held = { keys: [] as unknown[], alarms: 0 };

export class QuickObject extends EventStoreObject {
  readonly #sql: EventStoreState["storage"]["sql"];
  constructor({ storage }: EventStoreState) {
    super({
      storage: {
        sql: storage.sql,
        getAlarm: () => storage.getAlarm(),
        setAlarm: () => storage.setAlarm(Date.now() + 100),
        deleteAll: () => storage.deleteAll(),
      },
    });
    this.#sql = storage.sql;
  }
  override async alarm(): Promise<void> {
    await super.alarm();
    held.alarms += 1;
    const tables = this.#sql.exec("select name from sqlite_master where name = 'events'").toArray();
    if (tables.length > 0)
      held.keys.push(
        ...this.#sql
          .exec("select key from events")
          .toArray()
          .map(({ key }) => key),
      );
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { binding, caseName, method, values } = (await request.json()) as Order;
    const store = durableObjectEventStore(env[binding]);
    if (caseName !== undefined) {
      const { run } = eventStoreCases.find(({ name }) => name === caseName) ?? {};
      return run === undefined
        ? Response.json("no such case")
        : run(() => store).then(
            () => Response.json("passed"),
            (error: unknown) => Response.json(String(error)),
          );
    }
    if (method === undefined || values === undefined) return Response.json(held);
    const [key, owner, third] = values;
    const result =
      method === "claim"
        ? await store.claim(key, owner, Number(third))
        : await store.complete(key, owner, String(third));
    return Response.json(result);
  },
};
