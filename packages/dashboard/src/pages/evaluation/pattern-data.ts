import type { OperationName, Output } from '../../data/client.ts';
import { patterns } from '../../texts/patterns.ts';
import type { Tone } from '../../ui/marks.tsx';

export type ListedPattern = Output<'detected_patterns.list'>['patterns'][number];
export type WholePattern = Output<'detected_patterns.read'>;

export const PATTERN_ANSWERS: readonly OperationName[] = [
  'detected_patterns.list',
  'detected_patterns.read',
  'pattern_scans.list',
];
export const SEVERITY_TONES: Record<ListedPattern['severity'], Tone> = {
  critical: 'bad',
  warning: 'warn',
  info: 'mute',
};
export const PATTERN_TONES: Record<ListedPattern['status'], Tone> = { open: 'warn', resolved: 'good', cleared: 'mute' };

/** The path, agent or branch that it is about. */
export const subjectOf = ({ entity_path, agent_id, branch }: ListedPattern): string =>
  entity_path ?? agent_id ?? branch;

export const nameOf = (pattern: ListedPattern): string =>
  patterns.titleOf(patterns.types[pattern.pattern_type], subjectOf(pattern));
