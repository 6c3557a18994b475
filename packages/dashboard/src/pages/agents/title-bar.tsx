import type { ReactNode } from 'react';
import { choiceParameter, useSearch } from '../../router/router.tsx';
import { agents } from '../../texts/agents.ts';
import { Segmented } from '../../ui/choices.tsx';
import styles from './agents.module.css';

const VIEWS = ['directory', 'graph'] as const;
type AgentsView = (typeof VIEWS)[number];
const CHOICES = VIEWS.map((value) => ({ value, label: agents.views[value] }));
const parameters = { view: choiceParameter<AgentsView>('directory', VIEWS) };

export function useAgentsView(): [AgentsView, (view: AgentsView) => void] {
  const [{ view }, set] = useSearch(parameters);
  return [view, (next) => set({ view: next }, { replace: false })];
}

export function TitleBar({ children }: { children: ReactNode }) {
  const [view, setView] = useAgentsView();
  return (
    <div className={styles.bar}>
      <h1>{agents.title}</h1>
      <Segmented label={agents.view} value={view} choices={CHOICES} onChange={setView} />
      <span className="grow" />
      {children}
    </div>
  );
}
