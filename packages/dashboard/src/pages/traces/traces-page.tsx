import type { PageProps } from '../../pages.ts';
import { ComparePage } from './compare-page.tsx';
import { TraceList } from './trace-list.tsx';
import { TracePage } from './trace-page.tsx';

/** `#/traces` lists them, `#/traces/ID` shows one, `#/traces/compare?a=…&b=…` shows two. */
export function TracesPage({ rest }: PageProps) {
  if (rest === '') return <TraceList />;
  if (rest === 'compare') return <ComparePage />;
  return <TracePage key={rest} traceId={rest} />;
}
