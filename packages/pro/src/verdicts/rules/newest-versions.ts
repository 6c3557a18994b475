type Versioned = { trace_seq: number; judge_id: string };

/** One of each judge for a trace, from a list in which those of a judge and a trace follow each other, newest first. */
export function newestVersions<T extends Versioned>(verdicts: readonly T[]): T[] {
  return verdicts.filter(({ trace_seq, judge_id }, i) => {
    const before = verdicts[i - 1];
    return before?.trace_seq !== trace_seq || before.judge_id !== judge_id;
  });
}
