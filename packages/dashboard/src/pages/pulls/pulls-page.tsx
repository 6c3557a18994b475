import { useBranchRefresh } from '../../data/use-refresh.ts';
import type { PageProps } from '../../pages.ts';
import { PULL_ANSWERS, PULL_EVENTS } from './pull-data.ts';
import { PullList } from './pull-list.tsx';
import { PullPage } from './pull-page.tsx';

/** What was written to branches, reviewed before it is merged. */
export function PullsPage({ rest }: PageProps) {
  useBranchRefresh(PULL_EVENTS, PULL_ANSWERS);
  return rest === '' ? <PullList /> : <PullPage key={rest} id={rest} />;
}
