import type { OperationName } from '../../data/client.ts';
import { useBranchRefresh } from '../../data/use-refresh.ts';
import type { PageProps } from '../../pages.ts';
import { CaseList } from './case-list.tsx';
import { CasePage } from './case-page.tsx';

const CASE_ANSWERS: readonly OperationName[] = ['cases.list', 'cases.read', 'case_runs.list', 'case_runs.read'];
const CASE_EVENTS: ReadonlySet<string> = new Set(['case_changed', 'cases_run']);

/** `#/cases` lists them and their runs, `#/cases/ID` shows one. */
export function CasesPage({ rest }: PageProps) {
  useBranchRefresh(CASE_EVENTS, CASE_ANSWERS);
  return rest === '' ? <CaseList /> : <CasePage key={rest} caseId={rest} />;
}
