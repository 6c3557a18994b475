import { Fault, type Operation } from '@mem-service/contract';
import type { z } from 'zod';
import { readHead } from './event-queries.ts';
import { requirePosition } from './log-pages.ts';
import { type GivenPosition, LOG_BEGIN, type LogPosition, parsePosition, positionText } from './log-position.ts';
import type { ReadContext } from './module.ts';

/** What lists have in common. */
type PageInput = { cursor?: string | undefined };
type PageOutput = { next_cursor?: string | null };

/** A list in the order of the log: a cursor from before the log was set back leads into another history. */
export function isPagedByLog({ effect, errors, input }: Operation): boolean {
  return effect === 'read' && errors.includes('log_rewound') && 'cursor' in (input as z.ZodObject).shape;
}

const SEPARATOR = '.';

/** Cursors of earlier versions have no position. */
function splitCursor(text: string): { cursor: string; position: GivenPosition | undefined } {
  const [cursor = '', given] = text.split(SEPARATOR);
  const position = given === undefined ? undefined : parsePosition(given);
  if (given !== undefined && !position)
    throw new Fault('invalid_cursor', 'cursor: hand back `next_cursor` of the page before, unchanged');
  return { cursor, position };
}

/**
 * Runs a list whose cursor carries the end of the log as the first page found it. The next pages are refused once the log no
 * longer has that place.
 */
export async function runPageOfLog<I extends PageInput>(
  { read, caller }: Pick<ReadContext, 'read' | 'caller'>,
  input: I,
  run: (input: I) => Promise<unknown>,
): Promise<unknown> {
  const { account_id } = caller;
  const { cursor, position } = input.cursor === undefined ? {} : splitCursor(input.cursor);
  const begun: LogPosition | undefined = position && (await requirePosition(read, account_id, position));
  const output = (await run(cursor === undefined ? input : { ...input, cursor })) as PageOutput;
  if (output.next_cursor == null) return output;
  const end = begun ?? (await readHead(read, account_id)) ?? LOG_BEGIN;
  return { ...output, next_cursor: `${output.next_cursor}${SEPARATOR}${positionText(end)}` };
}
