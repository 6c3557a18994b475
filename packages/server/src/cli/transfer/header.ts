import { Fault, type Output } from '@mem-service/contract';

/** The first line of the export of an account. */
export type ImportHeader = NonNullable<Output<'transfer.status'>['header']>;

/** The first line of the export of a branch. */
export type EntriesHeader = {
  record: 'header';
  format: 'mem-entries';
  version: number;
  branch: string;
  seq: number;
  counts: { entry: number };
};

type CountedRecords = { counts: Record<string, number> };

/** How many records a header announces. */
export const totalOf = ({ counts }: CountedRecords): number => Object.values(counts).reduce((sum, n) => sum + n, 0);

export const incomplete = (records: number, header: CountedRecords): Fault =>
  new Fault(
    'invalid_input',
    `the file has ${records} records, and its header announces ${totalOf(header)}: it is incomplete`,
  );
