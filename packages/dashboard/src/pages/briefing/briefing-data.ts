import type { Output } from '../../data/client.ts';

export type WholeBriefing = Output<'briefing.read'>;
export type BriefedItem = WholeBriefing['validated'][number];
export type BriefedDigest = WholeBriefing['digests'][number];
