import { invalidInput } from '@mem-service/contract';
import type { SessionReport } from '../traces/index.ts';
import type { OutcomeInput } from './causes.ts';

/** Its index among the actions of the whole session. */
export function finalAction(
  { final_action_index: index, tool_calls }: OutcomeInput,
  { actions }: SessionReport,
): number | null {
  if (index === undefined || index === null) return null;
  const offset = tool_calls.length > 0 ? actions - tool_calls.length : 0;
  if (offset + index < actions) return offset + index;
  throw invalidInput([
    { path: 'final_action_index', message: `must be the index of one of ${actions - offset} actions` },
  ]);
}
