import { Fault } from '@mem-service/contract';
import type { DivisionObstacles } from './db/postgres-obstacles.ts';
import type { TableDivision } from './db/postgres-partition.ts';

const DEFAULT_PARTITIONS = 8;
const MOST_PARTITIONS = 256;

export type PartitionOptions = {
  /** Undefined: as many as other tables of the store have, or the default. */
  partitions: number | undefined;
};

export type PartitionPlan = {
  partitions: number;
  /** What is to be done, in this order, with the bytes of each table and its indexes. */
  pending: { table: string; bytes: number }[];
  done: string[];
  /** Tables that stay in one piece, with the unique indexes that keep them so. */
  whole: { table: string; blocking: string[] }[];
  /** Why it is refused as things are; without any of these it is done. */
  obstacles: PartitionObstacles;
};

export type PartitionObstacles = DivisionObstacles & { servers: string[] };

/** What is to be done, without looking for obstacles. */
export function planDivision(
  found: readonly TableDivision[],
  { partitions }: PartitionOptions,
): Omit<PartitionPlan, 'obstacles'> {
  const divided = found.filter((table) => table.partitions > 0);
  const [first] = divided;
  const count = partitions ?? first?.partitions ?? DEFAULT_PARTITIONS;
  if (!Number.isInteger(count) || count < 2 || count > MOST_PARTITIONS)
    throw new Fault('invalid_input', `--partitions must be a whole number from 2 to ${MOST_PARTITIONS}`);
  if (first && first.partitions !== count)
    throw new Fault(
      'conflict',
      `${first.table} has ${first.partitions} partitions already: their number can only be changed by moving to a new store with mem export and mem import`,
    );
  return {
    partitions: count,
    pending: found
      .filter((table) => table.partitions === 0 && table.blocking.length === 0)
      .map(({ table, bytes }) => ({ table, bytes })),
    done: divided.map(({ table }) => table),
    whole: found
      .filter((table) => table.partitions === 0 && table.blocking.length > 0)
      .map(({ table, blocking }) => ({ table, blocking })),
  };
}

const MOST_NAMED = 20;

const listed = (names: readonly string[]): string[] => [
  ...names.slice(0, MOST_NAMED).map((name) => `  ${name}`),
  ...(names.length > MOST_NAMED ? [`  and ${names.length - MOST_NAMED} more: --dry-run --json has all`] : []),
];

/** Names everything that is in the way at once, so that it can be removed at once. */
export function refuseObstacles({ foreign, taken, owners, servers }: PartitionObstacles): void {
  const lines = [
    ...(foreign.length > 0
      ? [
          'mem did not make these, and they would be lost. Save their definitions, remove them, run this again, and make them again:',
          ...listed(foreign),
        ]
      : []),
    ...(taken.length > 0 ? ['partitions need these names. Rename what has them:', ...listed(taken)] : []),
    ...(owners.length > 0
      ? [
          `tables of the store belong to ${owners.join(', ')}: run this under that role, or they would change their owner`,
        ]
      : []),
    ...(servers.length > 0
      ? [
          `${servers.length === 1 ? 'a server is' : `${servers.length} servers are`} connected (${servers.join(', ')}): stop them and run this again. One that crashed is forgotten after 20 seconds`,
        ]
      : []),
  ];
  if (lines.length > 0) throw new Fault('conflict', lines.join('\n'));
}
