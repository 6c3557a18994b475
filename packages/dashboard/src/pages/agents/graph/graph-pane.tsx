import { useDeferredValue, useMemo } from 'react';
import { useOperation } from '../../../data/query.ts';
import { useNow } from '../../../data/use-now.ts';
import { useRefreshOnEvents } from '../../../data/use-refresh.ts';
import { hrefOf } from '../../../router/address.ts';
import { choiceParameter, navigate, textParameter, useSearch } from '../../../router/router.tsx';
import { useCommands } from '../../../shell/commands.ts';
import { useCrumbs } from '../../../shell/crumbs.ts';
import { agents } from '../../../texts/agents.ts';
import { number } from '../../../texts/format.ts';
import { graph as texts } from '../../../texts/graph.ts';
import { ChoiceMenu } from '../../../ui/choice-menu.tsx';
import { Code } from '../../../ui/code.tsx';
import { CopyAs } from '../../../ui/copy-as.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { EmptyState, Loaded } from '../../../ui/states.tsx';
import { firstCommand } from '../first-command.ts';
import { TitleBar } from '../title-bar.tsx';
import styles from './graph.module.css';
import { GraphView } from './graph-view.tsx';
import { Inspector } from './inspector.tsx';
import { GraphLegend } from './legend.tsx';
import { type MapModel, type MapNode, modelOf } from './model.ts';

const SEEN = ['all', '24h', '7d', '30d'] as const;
const SEEN_HOURS = { '24h': 24, '7d': 168, '30d': 720 } as const;
const RELATIONS = ['all', 'wrote', 'read', 'committed', 'informed'] as const;
const LIMITS = ['500', '2000', '5000'] as const;
const HOUR_MS = 3_600_000;

const parameters = {
  selected: textParameter(),
  find: textParameter(),
  seen: choiceParameter<(typeof SEEN)[number]>('all', SEEN),
  relation: choiceParameter<(typeof RELATIONS)[number]>('all', RELATIONS),
  nodes: choiceParameter<(typeof LIMITS)[number]>('500', LIMITS),
};

const seenChoices = SEEN.map((value) => ({ value, label: texts.seenOf[value] }));
const relationChoices = RELATIONS.map((value) => ({ value, label: texts.relationOf[value] }));
const limitChoices = LIMITS.map((value) => ({ value, label: number(Number(value)) }));

/** Agents, paths and outcomes as one graph, and what is known about the one that is selected. */
export function GraphPane() {
  useCrumbs([{ label: agents.title, href: hrefOf('agents') }, { label: agents.views.graph }]);
  const [{ selected, find, seen, relation, nodes }, set] = useSearch(parameters);
  const input = { limit: Number(nodes) };
  const call = { name: 'graph.overview' as const, input };
  const graph = useOperation('graph.overview', input);
  useRefreshOnEvents(['graph.overview']);
  const hour = Math.floor(useNow() / HOUR_MS);
  const model = useMemo(() => {
    if (!graph.data) return undefined;
    const since = seen === 'all' ? undefined : new Date((hour - SEEN_HOURS[seen]) * HOUR_MS).toISOString();
    return modelOf(graph.data, { relation: relation === 'all' ? '' : relation, since });
  }, [graph.data, relation, seen, hour]);
  const found = useFound(model, find);
  const select = (id: string | undefined) => set({ selected: id ?? '' });
  useCommands(
    selected === ''
      ? []
      : [{ id: 'graph-clear', label: texts.keys.clear, keys: 'Escape', group: 'page', run: () => select(undefined) }],
  );
  return (
    <div className={styles.page}>
      <div className={styles.bar}>
        <TitleBar>
          <SearchField
            label={texts.find}
            value={find}
            className={styles.find}
            onChange={(next) => set({ find: next })}
            onEnter={() => {
              const [first] = model ? placesNamed(model, find) : [];
              if (first !== undefined) set({ selected: model?.nodes[first]?.id ?? '', find: '' });
            }}
          />
          <span className="wide-only line">
            <ChoiceMenu name={texts.seen} value={seen} choices={seenChoices} onChange={(next) => set({ seen: next })} />
            <ChoiceMenu
              name={texts.relation}
              value={relation}
              choices={relationChoices}
              onChange={(next) => set({ relation: next })}
            />
            <ChoiceMenu
              name={texts.most}
              value={nodes}
              choices={limitChoices}
              onChange={(next) => set({ nodes: next })}
            />
          </span>
          <CopyAs call={call} short />
        </TitleBar>
      </div>
      <div className={`${styles.main} edges`}>
        <Loaded answer={graph} rows={6} call={call}>
          {({ nodes: all, truncated }) =>
            all.length === 0 || !model ? (
              <Nothing title={texts.nothing} hint={texts.nothingHint} command={firstCommand()} />
            ) : model.nodes.length === 0 ? (
              <Nothing title={texts.noMatch} hint="" />
            ) : (
              <>
                <GraphView
                  model={model}
                  selected={selected === '' ? undefined : selected}
                  found={found}
                  onSelect={select}
                  onOpen={(node) => navigate(hrefOfNode(node))}
                />
                <GraphLegend model={model} truncated={truncated} />
              </>
            )
          }
        </Loaded>
      </div>
      <div className={styles.aside}>{model && <Inspector model={model} selected={selected} onSelect={select} />}</div>
    </div>
  );
}

function Nothing({ title, hint, command }: { title: string; hint: string; command?: string }) {
  return (
    <div className={styles.message}>
      <EmptyState title={title}>
        <p className="second">{hint}</p>
        {command !== undefined && <Code label={hint} text={command} copy wrap />}
      </EmptyState>
    </div>
  );
}

/** Where a thing of the graph has its own page. */
export function hrefOfNode({ kind, name }: MapNode): string {
  if (kind === 'agent') return hrefOf('agents', name);
  return kind === 'entity' ? hrefOf('memory', name) : hrefOf('traces', '', { outcome_ref: name });
}

/** Where the text is in the name; agents first. */
function placesNamed(model: MapModel, text: string): number[] {
  const wanted = text.trim().toLowerCase();
  const places = model.nodes.flatMap(({ name }, i) => (name.toLowerCase().includes(wanted) ? [i] : []));
  const rank = (place: number) => (model.nodes[place]?.kind === 'agent' ? 0 : 1);
  return places.sort((a, b) => rank(a) - rank(b));
}

function useFound(model: MapModel | undefined, find: string): ReadonlySet<number> | undefined {
  const wanted = useDeferredValue(find.trim());
  return useMemo(() => (model && wanted !== '' ? new Set(placesNamed(model, wanted)) : undefined), [model, wanted]);
}
