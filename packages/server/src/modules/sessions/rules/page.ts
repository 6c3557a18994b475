/** The standing of an entry when it was read, as far as a trace shows it. */
export type StandingAtRead = {
  outcome_count: number;
  success_count: number;
  failure_count: number;
  evidence_success: number;
  evidence_failure: number;
  discredited_at: number | null;
};

/** Stands for the attempt on pages of what a session read again on a later day. */
export const AGAIN = -1;

/** A read as an open session stores it: numbers only, which refer to an entry as long as it exists. */
export type StoredRead = {
  entry_id: number;
  version: number;
  read_at: number;
  duration_ms: number;
  confidence: number;
  standing: StandingAtRead | null;
};

type PageRead = Omit<StoredRead, 'read_at' | 'standing'> & { at: number; standing: string | null };

/** Serialises the reads of one flush. It runs for every read, and building the text by hand halves the cost. */
export function toPage(reads: readonly PageRead[]): string {
  let text = '';
  for (const { entry_id, version, at, duration_ms, confidence, standing } of reads) {
    const then = standing === null ? '' : `,${standingAtRead(standing)}`;
    text += `${text === '' ? '[' : ',['}${entry_id},${version},${at},${duration_ms},${confidence}${then}]`;
  }
  return `[${text}]`;
}

function standingAtRead(text: string): string {
  const then = JSON.parse(text) as StandingAtRead;
  const { outcome_count, success_count, failure_count, evidence_success, evidence_failure, discredited_at } = then;
  return JSON.stringify([
    outcome_count,
    success_count,
    failure_count,
    evidence_success,
    evidence_failure,
    discredited_at,
  ]);
}

type ReadNumbers = [number, number, number, number, number, StandingNumbers?];
type StandingNumbers = [number, number, number, number, number, number | null];

/** Parses a page; each read begins with the numbers of its entry and version. */
export const numbersIn = (text: string): ReadNumbers[] => JSON.parse(text);

export function fromPage(text: string): StoredRead[] {
  return numbersIn(text).map(([entry_id, version, read_at, duration_ms, confidence, then]) => ({
    entry_id,
    version,
    read_at,
    duration_ms,
    confidence,
    standing: then ? fromNumbers(then) : null,
  }));
}

const fromNumbers = (numbers: StandingNumbers): StandingAtRead => ({
  outcome_count: numbers[0],
  success_count: numbers[1],
  failure_count: numbers[2],
  evidence_success: numbers[3],
  evidence_failure: numbers[4],
  discredited_at: numbers[5],
});
