import { isFailure } from '../../data/events.ts';
import type { Tone } from '../../ui/marks.tsx';
import type { StepKind } from './steps.ts';

export const outcomeTone = (type: string | null): Tone => (type === null ? 'mute' : isFailure(type) ? 'bad' : 'good');

/** The token of the colour of a kind of step. */
export const STEP_COLOURS: Record<StepKind, string> = {
  root: '--line-strong',
  attempt: '--line-strong',
  read: '--s-read',
  query: '--s-read',
  llm: '--s-llm',
  tool: '--s-tool',
  error: '--s-error',
  context: '--s-other',
  span: '--s-other',
  write: '--s-write',
  outcome: '--s-outcome',
};
