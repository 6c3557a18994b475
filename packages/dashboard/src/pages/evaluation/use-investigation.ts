import { useEffect, useRef, useState } from 'react';
import { client, type Output, type Request } from '../../data/client.ts';

export type ShownLine = Output<'investigations.run'>;
export type WholeQuestion = Request<'investigations.run'>;

type InvestigationState = {
  /** What was asked last; undefined before that. */
  inquiry: WholeQuestion | undefined;
  lines: readonly ShownLine[];
  status: 'idle' | 'running' | 'done' | 'cancelled';
  error: unknown;
};

const NOTHING: InvestigationState = { inquiry: undefined, lines: [], status: 'idle', error: undefined };

/** An investigation as its lines come in. One at a time: another question ends the one before, and so does leaving the page. */
export function useInvestigation() {
  const [state, setState] = useState(NOTHING);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = async (inquiry: WholeQuestion) => {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    const change = (next: (before: InvestigationState) => InvestigationState) => {
      if (running.current === own) setState(next);
    };
    setState({ inquiry, lines: [], status: 'running', error: undefined });
    try {
      for await (const text of client().linesText('investigations.run', inquiry, { signal: own.signal })) {
        const line: ShownLine = JSON.parse(text);
        change((before) => ({ ...before, lines: [...before.lines, line] }));
      }
      change((before) => ({ ...before, status: 'done' }));
    } catch (error) {
      change((before) =>
        own.signal.aborted ? { ...before, status: 'cancelled' } : { ...before, status: 'done', error },
      );
    }
  };
  return { ...state, start: (inquiry: WholeQuestion) => void start(inquiry), cancel: () => running.current?.abort() };
}
