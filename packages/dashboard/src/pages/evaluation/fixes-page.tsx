import type { OperationName } from '../../data/client.ts';
import { useBranchRefresh } from '../../data/use-refresh.ts';
import type { PageProps } from '../../pages.ts';
import { FixList } from './fix-list.tsx';
import { FixPage } from './fix-page.tsx';

const FIX_ANSWERS: readonly OperationName[] = ['fixes.list', 'fixes.read', 'fixes.read_prevention'];
const FIX_EVENTS: ReadonlySet<string> = new Set(['fix_proposed', 'fix_approved', 'fix_dismissed', 'cases_run']);

/** `#/fixes` lists them, `#/fixes/ID` shows one. */
export function FixesPage({ rest }: PageProps) {
  useBranchRefresh(FIX_EVENTS, FIX_ANSWERS);
  return rest === '' ? <FixList /> : <FixPage key={rest} fixId={rest} changes={FIX_ANSWERS} />;
}
