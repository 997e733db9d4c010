// A page that uses TanStack Query with the SDK. MSW answers and counts the requests.
import {
  type CallInitiated,
  type CallQueued,
  CallTransfer,
  type CallTransferError,
  type RoleList,
  type UnknownResult,
} from "@call-transfer/sdk";
import { createCallMutationOptions, listRolesQueryOptions } from "@call-transfer/sdk/query";
import {
  MutationObserver,
  type MutationObserverOptions,
  onlineManager,
  QueryClient,
  QueryObserver,
  type QueryObserverOptions,
} from "@tanstack/query-core";
import { HttpResponse, http } from "msw";
import { setupWorker } from "msw/browser";

/** With the SDK's options, or with a function that calls the client. */
type Way = "options" | "function";

let answer: () => Response | Promise<Response> = () => HttpResponse.error();
let requests = 0;
const worker = setupWorker(
  http.all(`${location.origin}/api/v1/*`, () => {
    requests += 1;
    return answer();
  }),
);
await worker.start({ quiet: true, onUnhandledFrame: "bypass" });

const client = new CallTransfer({ baseUrl: location.origin, accessToken: "token", accountId: "account" });
const body = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
const queryClient = new QueryClient({ defaultOptions: { queries: { retryDelay: 0 } } });
queryClient.mount();

type Variables = { body: typeof body };

const query = (way: Way): QueryObserverOptions<RoleList, CallTransferError> =>
  way === "options"
    ? listRolesQueryOptions(client)
    : { queryKey: ["roles"], queryFn: ({ signal }) => client.roles.list({ signal }) };

const placement = (
  way: Way,
): MutationObserverOptions<CallInitiated | CallQueued | UnknownResult, CallTransferError, Variables> =>
  way === "options" ? createCallMutationOptions(client) : { mutationFn: () => client.calls.create(body) };

/** Waits until TanStack Query has noticed that the page is online, or offline. */
async function noticed(isOnline: boolean): Promise<void> {
  if (onlineManager.isOnline() !== isOnline)
    await new Promise<void>((resolve) => onlineManager.subscribe(() => resolve()));
}

const page = {
  /** Shows a query that fails, and returns the number of requests until it gives up. */
  async failingQuery(way: Way): Promise<number> {
    requests = 0;
    answer = () => HttpResponse.json({ code: "internal_error", status: 500 }, { status: 500 });
    const observer = new QueryObserver(queryClient, query(way));
    await new Promise<void>((resolve) => observer.subscribe(({ isError }) => isError && resolve()));
    observer.destroy();
    return requests;
  },

  /** Places a call offline, and returns the state once the placement has ended or is paused. */
  async place(way: Way) {
    await noticed(false);
    requests = 0;
    answer = () => HttpResponse.json({ type: "initiated", callId: "c" }, { status: 201 });
    const observer = new MutationObserver(queryClient, placement(way));
    const ended = new Promise<void>((resolve) =>
      observer.subscribe(({ isPaused, isPending }) => (isPaused || !isPending) && resolve()),
    );
    observer.mutate({ body }).catch(() => {});
    await ended;
    const { isPaused, status } = observer.getCurrentResult();
    return { onLine: navigator.onLine, isPaused, status, requests };
  },

  /** Waits until the page is online and nothing is pending, and returns the number of requests since the placement. */
  async resume(): Promise<number> {
    await noticed(true);
    await queryClient.resumePausedMutations();
    while (queryClient.isMutating() > 0)
      await new Promise<void>((resolve) => queryClient.getMutationCache().subscribe(() => resolve()));
    return requests;
  },

  /** Shows a query that waits for its response, removes it or cancels it, and returns how its request ended. */
  async leave(way: "unmount" | "cancel"): Promise<string> {
    answer = () => new Promise<Response>(() => {});
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const ended = new Promise<string>((resolve) => {
      const watched = client.withOptions({
        fetch(input, init) {
          const response = fetch(input, init);
          response.catch((error: Error) => resolve(error.name));
          begin();
          return response;
        },
      });
      const observer = new QueryObserver(queryClient, listRolesQueryOptions(watched, { accountId: way }));
      const unmount = observer.subscribe(() => {});
      begun.then(() => (way === "unmount" ? unmount() : queryClient.cancelQueries()));
    });
    return ended;
  },
};
export type QueryPage = typeof page;

Object.assign(globalThis, { page });
