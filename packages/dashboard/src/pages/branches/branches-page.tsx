import { useInstalled } from '../../data/installed.ts';
import { useBranchRefresh } from '../../data/use-refresh.ts';
import type { PageProps } from '../../pages.ts';
import { hrefOf } from '../../router/address.ts';
import { choiceParameter, useSearch } from '../../router/router.tsx';
import { useCrumbs } from '../../shell/crumbs.ts';
import { branches as texts } from '../../texts/branches.ts';
import { TabPanel, Tabs } from '../../ui/choices.tsx';
import { BRANCH_ANSWERS, BRANCH_EVENTS } from './branch-data.ts';
import { BranchList } from './branch-list.tsx';
import { BranchPage } from './branch-page.tsx';
import styles from './branches.module.css';
import { ComparePart } from './compare-part.tsx';
import { MergesPart } from './merges-part.tsx';
import { QuarantinePart } from './quarantine-part.tsx';
import { RollbackPart } from './rollback-part.tsx';
import { TagsPart } from './tags-part.tsx';

const VIEWS = ['branches', 'compare', 'tags', 'merges', 'rollback', 'quarantine'] as const;
type BranchesView = (typeof VIEWS)[number];

const parameters = { view: choiceParameter<BranchesView>('branches', VIEWS) };
const PARTS: Record<BranchesView, () => React.ReactNode> = {
  branches: BranchList,
  compare: ComparePart,
  tags: TagsPart,
  merges: MergesPart,
  rollback: RollbackPart,
  quarantine: QuarantinePart,
};
/** Parts whose module may be missing. */
const PROBES = [
  { name: 'tags.list', input: { limit: 1 } },
  { name: 'merges.list', input: { limit: 1 } },
  { name: 'quarantine.list', input: { limit: 1 } },
] as const;

/** Lines of memory: what is on them, how they differ, how they come together again. */
export function BranchesPage({ rest }: PageProps) {
  useBranchRefresh(BRANCH_EVENTS, BRANCH_ANSWERS);
  if (rest !== '') return <BranchPage key={rest} name={rest} />;
  return <BranchesHome />;
}

function BranchesHome() {
  const [{ view }] = useSearch(parameters);
  const installed = useInstalled(PROBES);
  const isMissing = (part: BranchesView) =>
    ((part === 'tags' || part === 'rollback') && installed.get('tags.list') === false) ||
    ((part === 'compare' || part === 'merges') && installed.get('merges.list') === false) ||
    (part === 'quarantine' && installed.get('quarantine.list') === false);
  useCrumbs([
    { label: texts.title, href: hrefOf('branches') },
    ...(view === 'branches' ? [] : [{ label: texts.view[view] }]),
  ]);
  const Part = PARTS[view];
  return (
    <div className={styles.home}>
      <div className={styles.title}>
        <h1>{texts.title}</h1>
      </div>
      <div className={styles.tabs}>
        <Tabs
          label={texts.views}
          value={view}
          tabs={VIEWS.filter((part) => !isMissing(part)).map((value) => ({ value, label: texts.view[value] }))}
          onChange={goTo}
        />
      </div>
      <TabPanel value={view}>
        <Part />
      </TabPanel>
    </div>
  );
}

/** Another part has parameters of its own. */
function goTo(view: BranchesView): void {
  location.hash = hrefOf('branches', '', { view: view === 'branches' ? undefined : view });
}
