import type { ReactNode } from 'react';
import type { CopiedCall } from '../../data/copy-as.ts';
import { Segmented } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from '../branches/branches.module.css';

type StatusListProps<Row, Status extends string> = {
  texts: { title: string; note: string; status: string; statuses: Readonly<Record<Status, string>> };
  statuses: readonly Status[];
  status: Status;
  onStatus: (status: Status) => void;
  call: CopiedCall;
  pages: Parameters<typeof ShowMore>[0]['pages'] & Parameters<typeof Loaded>[0]['answer'];
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  onOpen?: (row: Row) => void;
  /** What stands in the place of the list where it is empty. */
  none: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
};

/** A page that lists things, all of them or those with one status. */
export function StatusList<Row, Status extends string>(props: StatusListProps<Row, Status>) {
  const { texts, statuses, status, onStatus, call, pages, rows, columns, keyOf, onOpen, none, actions, children } =
    props;
  return (
    <>
      <div className={styles.title}>
        <h1>{texts.title}</h1>
      </div>
      <div className={styles.bar}>
        <Segmented
          label={texts.status}
          value={status}
          choices={statuses.map((value) => ({ value, label: texts.statuses[value] }))}
          onChange={onStatus}
        />
        <span className="third wide-only">{texts.note}</span>
        <span className="grow" />
        <CopyAs call={call} />
        {actions}
      </div>
      {children}
      <Loaded answer={pages} call={call} rows={6}>
        {() =>
          rows.length === 0 ? (
            <div className={styles.empty}>{none}</div>
          ) : (
            <Table
              label={texts.title}
              columns={columns}
              rows={rows}
              keyOf={keyOf}
              {...(onOpen === undefined ? {} : { onOpen })}
            />
          )
        }
      </Loaded>
      <ShowMore pages={pages} />
    </>
  );
}
