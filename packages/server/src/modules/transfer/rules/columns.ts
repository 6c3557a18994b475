import type { Row } from '../../../db/index.ts';
import type { ExportedTable } from '../../../kernel/index.ts';

/** What was asked for is noted as it was given: a path there may be a glob, or no path at all. */
const AS_GIVEN = new Set<unknown>(['query', 'error']);

/** The types of lines in the ledger that no outcome wrote. */
const OTHER_LINES: Readonly<Record<string, readonly unknown[]>> = {
  consolidation: ['demoted'],
  verdict: ['pass', 'fail', 'withdrawn'],
};

const isOtherLine = (name: string, { model, outcome_type }: Row): boolean =>
  name === 'outcome_type' && (OTHER_LINES[String(model)]?.includes(outcome_type ?? null) ?? false);

/** Describes what the contract does not allow in a column of the row; undefined where all is well. */
export function columnProblem({ checks }: ExportedTable, name: string, row: Row): string | undefined {
  const value = row[name] ?? null;
  if (value === null || (name === 'entity_path' && AS_GIVEN.has(row.kind ?? null))) return undefined;
  return isOtherLine(name, row) ? undefined : checks[name]?.(value);
}
