import { type RefObject, useEffect, useRef, useState } from 'react';
import { memory } from '../../texts/memory.ts';
import { SectionNav } from '../../ui/section-nav.tsx';
import { EdgesPart, useEdges } from './edges-part.tsx';
import type { ShownEntryData } from './entry-pane.tsx';
import { HistoryPart } from './history-part.tsx';
import { LedToPart, useLedTo } from './led-to-part.tsx';
import styles from './memory.module.css';
import { type MemoryAddress, roomOf } from './memory-address.ts';
import { ReadersPart, useReaders } from './readers-part.tsx';
import { StoryPart } from './story-part.tsx';
import { ValuePart } from './value-part.tsx';

const PARTS = ['confidence', 'value', 'history', 'readers', 'led-to', 'edges'] as const;
type Part = (typeof PARTS)[number];
/** The rest is about confidence, outcomes and agents of one account. */
const PARTS_IN_ROOM: readonly Part[] = ['value', 'history'];
const texts = memory.parts;

/** The parts of the entry, one below the other, and the line that leads to them. */
export function EntryParts({ address, shown }: { address: MemoryAddress; shown: ShownEntryData }) {
  const { entry, count } = shown;
  const parts = roomOf(entry.entity_path) === undefined ? PARTS : PARTS_IN_ROOM;
  const readers = useReaders(entry);
  const ledTo = useLedTo(entry);
  const edges = useEdges(entry);
  const body = useRef<HTMLDivElement>(null);
  const asked = parts.find((part) => part === address.part) ?? (parts[0] as Part);
  const [current, setCurrent] = useState<Part>(asked);
  const quietUntil = useRef(0);
  useShownPart(body, quietUntil, setCurrent);
  const go = (part: Part) => {
    quietUntil.current = Date.now() + SETTLE_MS;
    address.set({ part });
    setCurrent(part);
    partOf(body.current, part)?.scrollIntoView({ block: 'start' });
  };
  // An address that names a part begins there, once the parts above it have their height.
  const isReady = !readers.isLoading && !ledTo.isLoading && !edges.isLoading;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first time.
  useEffect(() => {
    if (isReady && asked !== parts[0]) partOf(body.current, asked)?.scrollIntoView({ block: 'start' });
  }, [isReady]);
  const allLinks = [
    { value: 'confidence' as const, label: texts.confidence },
    { value: 'value' as const, label: texts.value },
    { value: 'history' as const, label: texts.history, count },
    {
      value: 'readers' as const,
      label: texts.readers,
      count: readers.data?.readers.length,
      more: readers.data?.truncated,
    },
    { value: 'led-to' as const, label: texts.ledTo, count: ledTo.found?.length, more: ledTo.hasMore },
    { value: 'edges' as const, label: texts.edges, count: edges.data?.count, more: edges.data?.truncated },
  ];
  const links = allLinks.filter(({ value }) => parts.includes(value));
  const has = (part: Part) => parts.includes(part);
  return (
    <>
      <div className={styles.partNav}>
        <SectionNav label={texts.label} value={current} links={links} hrefOf={address.toPart} onSelect={go} />
      </div>
      <div ref={body} className={styles.parts}>
        {has('confidence') && (
          <div data-part="confidence">
            <StoryPart address={address} shown={shown} />
          </div>
        )}
        <div data-part="value">
          <ValuePart address={address} shown={shown} />
        </div>
        <div data-part="history">
          <HistoryPart address={address} shown={shown} />
        </div>
        {has('readers') && (
          <div data-part="readers">
            <ReadersPart
              readers={readers}
              entry={entry}
              newest={shown.newest.version}
              isDeleted={shown.newest.deleted}
            />
          </div>
        )}
        {has('led-to') && (
          <div data-part="led-to">
            <LedToPart ledTo={ledTo} entry={entry} />
          </div>
        )}
        {has('edges') && (
          <div data-part="edges">
            <EdgesPart edges={edges} entry={entry} address={address} />
          </div>
        )}
      </div>
    </>
  );
}

const partOf = (body: HTMLElement | null, part: Part) => body?.querySelector<HTMLElement>(`[data-part="${part}"]`);

const EDGE_PX = 80;
/** So long after a jump the scrolling is that of the jump. */
const SETTLE_MS = 300;

/** Which part is at the top of what is in view. */
function useShownPart(
  body: RefObject<HTMLElement | null>,
  quietUntil: RefObject<number>,
  onPart: (part: Part) => void,
): void {
  useEffect(() => {
    const scroller = body.current?.closest('article');
    if (!scroller) return;
    const look = () => {
      if (Date.now() < quietUntil.current) return;
      const top = scroller.getBoundingClientRect().top + EDGE_PX;
      const isAtEnd = scroller.scrollTop > 0 && scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 2;
      const seen = PARTS.filter((part) => (partOf(body.current, part)?.getBoundingClientRect().top ?? top + 1) <= top);
      const there = PARTS.filter((part) => partOf(body.current, part) !== null);
      const part = isAtEnd ? there.at(-1) : (seen.at(-1) ?? there[0]);
      if (part) onPart(part);
    };
    scroller.addEventListener('scroll', look, { passive: true });
    return () => scroller.removeEventListener('scroll', look);
  }, [body, quietUntil, onPart]);
}
