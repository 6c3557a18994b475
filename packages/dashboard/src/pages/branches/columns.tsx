import { hrefOf } from '../../router/address.ts';
import { ago, fullTimeOf } from '../../texts/format.ts';
import type { Column } from '../../ui/table.tsx';

/** The agent that made something, as a link to it. */
export const authorColumn = (
  head: string,
  { width, phone }: Required<Pick<Column<unknown>, 'width' | 'phone'>>,
): Column<{ agent_id: string }> => ({
  ...{ id: 'by', head, width, phone },
  cell: ({ agent_id }) => <a href={hrefOf('agents', agent_id)}>{agent_id}</a>,
});

/** How long ago something was made. */
export const ageColumn = (head: string, now: number): Column<{ created_at: string }> => ({
  ...{ id: 'at', head, width: 84, phone: 'time' },
  cell: ({ created_at }) => (
    <time className="third" dateTime={created_at} title={fullTimeOf(created_at)}>
      {ago(created_at, now)}
    </time>
  ),
});
