import { expect, it } from 'vitest';
import { sampleRowOf } from './excess.ts';
import { placeIn, type ReportedSample, rowsOf } from './sample-rows.ts';

/** Samples of traces in order, reported at places that `reportedAt` gives for each. */
const samplesAt = (reportedAt: readonly number[]): ReportedSample[] =>
  reportedAt.map((seq, i) => ({ trace_seq: 10 * i, agent_id: 'agent/a', failed: (i * 7) % 3 === 0, seq }));

const orders = {
  'as the traces came': Array.from({ length: 60 }, (_, i) => i),
  'several at once': Array.from({ length: 60 }, (_, i) => Math.floor(i / 7)),
  'the newest trace first': Array.from({ length: 60 }, (_, i) => 59 - i),
  'in any order': Array.from({ length: 60 }, (_, i) => (i * 37) % 61),
};

it.each(Object.entries(orders))('a row is what the log knew at each place, reported %s', (_, reportedAt) => {
  const samples = samplesAt(reportedAt);
  const rowAt = rowsOf(samples);
  for (const seq of [0, 1, 5, 6, 20, 20, 41, 60]) {
    const known = samples.filter((sample) => sample.seq <= seq);
    const row = rowAt(seq);
    expect(row).toEqual(sampleRowOf(known));
    for (const { trace_seq } of samples)
      expect(placeIn(row, trace_seq)).toBe(known.findIndex((sample) => sample.trace_seq === trace_seq));
  }
});
