import {
  type Coverage,
  isShown,
  type OperationCoverage,
  type Show,
  sharesOf,
  statusesOf,
} from "../../data/records/coverage.ts";
import { useSession } from "../../data/session/context.ts";
import { useKeys } from "../../parts/keys.tsx";
import { Link } from "../../parts/link.tsx";

/** The operations in rows, and the statuses in columns. */
export function Matrix({
  coverage,
  filter,
  show,
  selected,
}: {
  readonly coverage: Coverage;
  readonly filter: string;
  readonly show: Show;
  readonly selected: string | undefined;
}) {
  const session = useSession();
  const rows = matching(coverage.operations, filter, show);
  const columns = statusesOf(coverage);
  const step = (by: number) => () => {
    const index = rows.findIndex(({ operationId }) => operationId === selected);
    const next = rows[Math.max(0, Math.min(index + by, rows.length - 1))];
    if (next !== undefined) session.go("coverage", next.operationId);
  };
  useKeys({ j: step(1), k: step(-1) });
  return rows.length === 0 ? (
    <p class="coverage-note">Nothing fits the filter. Change it, or show all.</p>
  ) : (
    // A region that scrolls must be reachable by the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <div class="matrix" tabIndex={0} role="region" aria-label="Statuses of each operation">
      <table>
        <thead>
          <tr>
            <th scope="col">Operation</th>
            {columns.map((status) => (
              <th key={status} scope="col" class="number">
                {status}
              </th>
            ))}
            <th scope="col">Codes</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((operation) => (
            <Row
              key={operation.operationId}
              operation={operation}
              columns={columns}
              show={show}
              isSelected={operation.operationId === selected}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The operations with something to show, in whose cells or name each word stands. */
function matching(operations: readonly OperationCoverage[], filter: string, show: Show): readonly OperationCoverage[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter(({ operationId, statuses, codes }) => {
    const cells = [...statuses, ...codes].filter((cell) => isShown(cell, show));
    const text = [operationId, ...cells.map((cell) => ("code" in cell ? cell.code : cell.status))]
      .join(" ")
      .toLowerCase();
    return cells.length > 0 && words.every((word) => text.includes(word));
  });
}

/** A count, with a star if the operation does not document the status; a dash for what it does not have. */
function countOf(cell: OperationCoverage["statuses"][number] | undefined): string {
  return cell === undefined ? "–" : `${cell.count}×${cell.documented ? "" : "*"}`;
}

function Row({
  operation,
  columns,
  show,
  isSelected,
}: {
  readonly operation: OperationCoverage;
  readonly columns: readonly number[];
  readonly show: Show;
  readonly isSelected: boolean;
}) {
  const { operationId, statuses } = operation;
  const { seen, of } = sharesOf({ operations: [operation] }).codes;
  return (
    <tr class={isSelected ? "matrix-selected" : ""}>
      <th scope="row">
        <Link to={["coverage", operationId]} current={isSelected}>
          {operationId}
        </Link>
      </th>
      {columns.map((status) => {
        const cell = statuses.find((one) => one.status === status);
        const kind =
          cell === undefined ? "none" : cell.count === 0 ? "never" : cell.documented ? "seen" : "undocumented";
        return (
          <td key={status} class={`number cell cell-${kind}`}>
            {cell === undefined || isShown(cell, show) ? countOf(cell) : ""}
          </td>
        );
      })}
      <td class="number">
        {seen} of {of}
      </td>
    </tr>
  );
}
