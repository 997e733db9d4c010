import type { OperationDescription } from "@call-transfer/spec";
import type { Collections } from "../data/collections.ts";
import type { Keys } from "../data/keys.ts";
import type { ScenarioName } from "../data/scenarios.ts";
import type { Snapshot } from "../data/snapshot.ts";
import type { Faults } from "../faults/faults.ts";
import type { Journal } from "../http/journal.ts";
import type { JournalDetail } from "../http/journal-detail.ts";
import type { Stubs } from "../http/stubs.ts";
import type { Clock, Step } from "../model/clock.ts";
import type { BackendEvent, Events } from "../model/events.ts";
import type { Policies } from "../model/policies.ts";
import type { Seed } from "../model/records.ts";
import type { State, Upcoming } from "../model/state.ts";
import type { Deliveries } from "../platform/delivery.ts";
import type { Inbox } from "../platform/inbox.ts";
import type { Transfers } from "../platform/transfers.ts";

/** What a test reads and changes of a backend. The control plane offers the same over HTTP. */
export interface BackendControls {
  /** The backend's clock. */
  readonly clock: Clock;
  /**
   * Moves the clock like `clock.advance` and returns the events on the way. `nextTimer` also stops where a temporary
   * status, a previous signing secret or an API key expires.
   */
  advance(step: Step): Promise<readonly BackendEvent[]>;
  /** Lists the timers and expiries to come, soonest first. */
  upcoming(): readonly Upcoming[];
  /** All records, as plain Maps. To change a record, `set` another one in its place. */
  readonly state: State;
  /** The same records in the format of a seed, validated when edited. */
  readonly collections: Collections;
  /** The current policies. */
  readonly policies: Readonly<Policies>;
  /** Changes policies and returns all of them. Throws InputError naming the invalid one, and then changes none. */
  updatePolicies(changes: Partial<Policies>): Policies;
  /** The faults to inject into requests and deliveries. */
  readonly faults: Faults;
  /** Responses to requests that no operation matches. */
  readonly stubs: Stubs;
  /** The webhooks sent so far, and new ones on request. */
  readonly deliveries: Deliveries;
  /** The built-in webhook receiver. */
  readonly inbox: Inbox;
  /** Transfers that the platform starts, and the answers to them. */
  readonly transfers: Transfers;
  /** Issues API keys and access tokens. */
  readonly keys: Keys;
  /** The requests so far. */
  readonly journal: Journal;
  /**
   * Sends the request of a journal entry again, with the same method, path, query, headers and body, and returns its new
   * entry. Throws InputError if the request is no longer kept or did not reach the backend.
   */
  replay(id: number): Promise<JournalDetail>;
  /** What happens, as it happens, and the latest 2000 events. */
  readonly events: Pick<Events, "follow" | "latest" | "lastId">;
  /** The operations that the backend serves. */
  readonly operations: readonly OperationDescription[];
  /**
   * Applies a scenario to the present records, policies and faults, until a reset. Throws InputError for an unknown name, or
   * if a record is missing that the scenario needs, and then changes nothing.
   */
  applyScenario(name: ScenarioName): void;
  /** Adds records. Throws InputError naming the invalid field, and then adds none. */
  seed(seed: Seed): void;
  /**
   * Resolves when everything that has changed so far is stored; at once for a backend in memory. Does not wait for the journal,
   * the list of deliveries, the events of the inbox and rate-limit counts, which are stored within 250 ms. Rejects with an Error
   * if the latest changes could not be stored; they are undone then.
   */
  saved(): Promise<void>;
  /** Exports the backend as JSON, including its secrets. Journal and deliveries are not part of it. */
  snapshot(): Snapshot;
  /**
   * Replaces the backend's contents with a snapshot. Apps that are still ringing receive their offers again. Throws
   * InputError naming the invalid field, and then changes nothing.
   */
  restore(snapshot: unknown): void;
  /** Restores the initial state, clock, policies, faults, scenarios, journal, deliveries and random generator. */
  reset(): void;
}
