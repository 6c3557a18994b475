import type { Output } from '../../data/client.ts';
import { connectors as texts } from '../../texts/connectors.ts';
import { Tag } from '../../ui/marks.tsx';

export type ListedConnector = Output<'connectors.list'>['connectors'][number];

/** Whether it can be used, and what is missing. */
export function ConnectorState({ connector }: { connector: ListedConnector }) {
  const { missing_variables, secret_set, unsigned } = connector;
  if (missing_variables.length > 0) return <Tag tone="bad">{texts.states.missing(missing_variables.join(', '))}</Tag>;
  if (secret_set) return <Tag tone="good">{texts.states.ready}</Tag>;
  if (unsigned) return <Tag tone="warn">{texts.states.unsigned}</Tag>;
  return <Tag>{texts.states.noSecret}</Tag>;
}
