import type { OperationName, Output } from '../../data/client.ts';
import type { Tone } from '../../ui/marks.tsx';
import { BRANCH_ANSWERS, BRANCH_EVENTS } from '../branches/branch-data.ts';

export type ListedPull = Output<'pull_requests.list'>['pull_requests'][number];
export type WholePull = Output<'pull_requests.read'>;
export type PullReview = WholePull['reviews'][number];
export type PullCheck = WholePull['checks'][number];
export type ReviewWord = PullReview['decision'];

export const PULL_ANSWERS: readonly OperationName[] = BRANCH_ANSWERS;
export const PULL_EVENTS: ReadonlySet<string> = new Set([
  ...BRANCH_EVENTS,
  'pull_request_reviewed',
  'pull_request_checked',
]);

export const STATE_TONES: Record<ListedPull['status'], Tone> = { open: 'good', merged: 'mute', closed: 'bad' };
