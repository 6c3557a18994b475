import { type SampleRow, sampleRowOf, type TraceSample } from './excess.ts';

/** With the place in the log where it was reported. */
export type ReportedSample = TraceSample & { seq: number };

/**
 * The samples of a group as they were known at a place in the log. Places are asked for in their order: what was reported in between is
 * added to the row, which is made from the start only where that is about earlier traces.
 */
export function rowsOf(samples: readonly ReportedSample[]): (seq: number) => SampleRow {
  const reported = [...samples].sort((a, b) => a.seq - b.seq || a.trace_seq - b.trace_seq);
  const row: { samples: TraceSample[]; failedBefore: number[] } = { samples: [], failedBefore: [0] };
  let next = 0;
  const add = (sample: TraceSample) => {
    row.samples.push(sample);
    row.failedBefore.push((row.failedBefore.at(-1) as number) + Number(sample.failed));
  };
  return (seq) => {
    let isInOrder = true;
    for (let one = reported[next]; one && one.seq <= seq; one = reported[++next]) {
      isInOrder &&= one.trace_seq > (row.samples.at(-1)?.trace_seq ?? -1);
      if (isInOrder) add(one);
    }
    if (!isInOrder) Object.assign(row, sampleRowOf(samples.filter((sample) => sample.seq <= seq)));
    return row;
  };
}

/** Where a trace is in the row; -1 where it is not in it. */
export function placeIn({ samples }: SampleRow, traceSeq: number): number {
  let from = 0;
  let until = samples.length;
  while (from < until) {
    const middle = (from + until) >> 1;
    if ((samples[middle] as TraceSample).trace_seq < traceSeq) from = middle + 1;
    else until = middle;
  }
  return samples[from]?.trace_seq === traceSeq ? from : -1;
}
