import type { Schema } from "@call-transfer/backend/control-client";
import { useSignal } from "@preact/signals";
import { shellCommand, shellText } from "../data/code/shell-command.ts";
import { type Directory, emptyDirectory, useDirectory } from "../data/records/directory.ts";
import { act } from "../data/session/act.ts";
import { useSession } from "../data/session/context.ts";
import { useLive } from "../data/session/live.ts";
import { Button } from "../parts/button.tsx";
import { Status, Time } from "../parts/data.tsx";
import { useKeys } from "../parts/keys.tsx";
import { Empty, LoadError, Screen, Split } from "../parts/screen.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { TransferDetail } from "./transfers/detail.tsx";
import { isUnderWay, type NameOf, resultOf, statusOf, type Transfer, targetName } from "./transfers/layout.ts";
import { StartDialog } from "./transfers/start.tsx";

/** The screen Transfers. */
export function Transfers() {
  const session = useSession();
  const [selected] = session.route.value.rest;
  const directory = useDirectory();
  const known = directory.data ?? emptyDirectory;
  const live = useLive<Schema<"TransferList">>(
    (control) => control.GET("/_control/v1/transfers"),
    ({ type }) => type.startsWith("transfer."),
  );
  const transfers = live.data?.transfers.toReversed() ?? [];
  const isStarting = useSignal(false);
  const open = () => (isStarting.value = true);
  useKeys({ n: open });
  const isEmpty = live.data !== undefined && transfers.length === 0;
  // Without a selection the latest one is shown beside the list, where there is room.
  const shown = selected === undefined ? transfers[0] : transfers.find(({ id }) => id === selected);
  return (
    <Screen
      title="Transfers"
      actions={
        <Button
          rank={isEmpty ? "secondary" : "primary"}
          icon="play"
          disabled={directory.data === undefined}
          onPress={open}
        >
          Start a transfer
        </Button>
      }
    >
      {isStarting.value && <StartDialog directory={known} close={() => (isStarting.value = false)} />}
      <LoadError error={live.error ?? directory.error} />
      {isEmpty ? (
        <NoTransfer directory={known} />
      ) : (
        <Split
          isWide
          list={<TransferRows transfers={transfers} selected={shown?.id} nameOf={known.nameOf} />}
          isSelected={selected !== undefined}
          detail={
            shown !== undefined ? (
              <TransferDetail key={shown.id} transfer={shown} directory={known} />
            ) : selected === undefined || live.data === undefined ? undefined : (
              <Empty title="This transfer does not exist">
                <p>The sandbox was reset, or it is a transfer of another sandbox. Select another one.</p>
              </Empty>
            )
          }
          close={() => session.go("transfers")}
        />
      )}
    </Screen>
  );
}

function TransferRows({
  transfers,
  selected,
  nameOf,
}: {
  readonly transfers: readonly Transfer[];
  readonly selected: string | undefined;
  readonly nameOf: NameOf;
}) {
  const session = useSession();
  return (
    <div class="transfer-list">
      <VirtualList
        label="Transfers"
        items={transfers}
        keyOf={({ id }) => id}
        selected={selected}
        onSelect={(id) => session.go("transfers", id)}
        row={(transfer) => <Row transfer={transfer} nameOf={nameOf} />}
      />
    </div>
  );
}

function Row({ transfer, nameOf }: { readonly transfer: Transfer; readonly nameOf: NameOf }) {
  const { tone, text } = statusOf(transfer);
  return (
    <div class="transfer-row">
      <span class="transfer-row-name" dir="auto">
        {targetName(transfer, nameOf)}
      </span>
      <Time at={transfer.startedAt} />
      <Status tone={tone}>{text}</Status>
      <Result transfer={transfer} nameOf={nameOf} />
    </div>
  );
}

/** What became of it; it follows the clock while the transfer is under way. */
function Result({ transfer, nameOf }: { readonly transfer: Transfer; readonly nameOf: NameOf }) {
  const { clock } = useSession();
  const now = isUnderWay(transfer) ? clock.now.value : 0;
  return (
    <span class="transfer-row-result muted" dir="auto">
      {resultOf(transfer, nameOf, now)}
    </span>
  );
}

/** Starts a transfer to the first group, or to the first destination, with one press. */
function NoTransfer({ directory }: { readonly directory: Directory }) {
  const session = useSession();
  const [group] = directory.groups;
  const target = group ?? directory.destinations.find(({ enabled = true }) => enabled);
  if (target === undefined)
    return (
      <Empty
        title="No transfer yet"
        action={
          <Button rank="primary" onPress={() => session.go("state", "destinations", "new")}>
            Add a destination
          </Button>
        }
      >
        <p>A transfer rings a destination or a group, and this sandbox has neither.</p>
      </Empty>
    );
  const body = group === undefined ? { destinationId: target.id } : { groupId: target.id };
  return (
    <Empty
      title="No transfer yet"
      action={
        <Button
          rank="primary"
          icon="play"
          onPress={() => act(session, session.control.value.POST("/_control/v1/transfers", { body }))}
        >
          Ring {target.name}
        </Button>
      }
      command={shellCommand(session, `transfer ${shellText(target.name)}`)}
    >
      <p>Each transfer appears here: phones, members and apps ring on the sandbox's clock, and you answer.</p>
    </Empty>
  );
}
