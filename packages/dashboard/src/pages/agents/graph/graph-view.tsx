import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTheme } from '../../../shell/theme.ts';
import { graph as texts } from '../../../texts/graph.ts';
import { Button } from '../../../ui/button.tsx';
import { Progress } from '../../../ui/states.tsx';
import { type Camera, fitted, type MapPoint, panned, pointOf, toScreen, type ViewSize, zoomed } from './camera.ts';
import { coloursOf } from './colours.ts';
import styles from './graph.module.css';
import { countOf, type MapModel, type MapNode, neighbourhoodOf } from './model.ts';
import { nodeAt, radiusPx } from './paint.ts';
import { Picture } from './picture.ts';
import { isStep, stepTo } from './step-to.ts';
import { type Layout, useLayout } from './use-layout.ts';
import { usePointer } from './use-pointer.ts';

type GraphViewProps = {
  model: MapModel;
  selected: string | undefined;
  /** What a search found; the rest is dimmed. */
  found: ReadonlySet<number> | undefined;
  onSelect: (id: string | undefined) => void;
  onOpen: (node: MapNode) => void;
};

const ZOOM_STEP = 1.4;
const PAN_PX = 60;
/** Below this a layout is done before a number could be read. */
const MANY = 1500;

/** The graph on a canvas: drag, wheel and pinch, or arrow keys, + and −. */
export function GraphView({ model, selected, found, onSelect, onOpen }: GraphViewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(canvas);
  const layout = useLayout(model);
  const { camera, moveBy, fit } = useCamera(layout, size);
  const selectedIndex = selected === undefined ? undefined : layout?.model.indexOf.get(selected);
  const picture = usePicture(canvas, { layout, size, camera, selected: selectedIndex, found });
  const [hovered, setHovered] = useState<number>();
  const pick = (at: MapPoint) => layout && nodeAt({ ...layout, camera: camera.current, size }, at);
  const select = (node: number | undefined) => onSelect(node === undefined ? undefined : layout?.model.nodes[node]?.id);
  const move = (next: (camera: Camera) => Camera) => {
    moveBy(next);
    picture.current?.move(camera.current);
    setHovered(undefined);
  };
  const pointer = usePointer(canvas, {
    onPan: (dx, dy) => move((now) => panned(now, dx, dy)),
    onZoom: (by, at) => move((now) => zoomed({ camera: now, size }, by, at)),
    onClick: (at) => select(pick(at)),
    onHover: (at) => setHovered(at && pick(at)),
  });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (!layout || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isStep(event.key) && event.shiftKey) move((now) => panned(now, ...panOf(event.key)));
    else if (isStep(event.key)) {
      const next = stepTo({ ...layout, from: selectedIndex }, event.key);
      if (next !== undefined) {
        select(next);
        reveal(next);
      }
    } else if (event.key === '+' || event.key === '=') move((now) => zoomed({ camera: now, size }, ZOOM_STEP));
    else if (event.key === '-') move((now) => zoomed({ camera: now, size }, 1 / ZOOM_STEP));
    else if (event.key === '0') move(fit);
    else if (event.key === 'Enter' && selectedIndex !== undefined) onOpen(layout.model.nodes[selectedIndex] as MapNode);
    else if (event.key === 'Escape' && selected !== undefined) onSelect(undefined);
    else return;
    event.preventDefault();
  };
  const reveal = (node: number) => {
    if (!layout) return;
    const place = pointOf(layout.positions, node);
    const at = toScreen({ camera: camera.current, size }, place);
    const isIn = at.x > 40 && at.y > 40 && at.x < size.width - 40 && at.y < size.height - 40;
    if (!isIn) move((now) => ({ ...now, ...place }));
  };
  const count = (kind: MapNode['kind']) => countOf(model, kind);
  return (
    <div className={styles.stage}>
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it takes the arrow keys itself. */}
      <canvas
        ref={canvas}
        className={styles.canvas}
        role="application"
        aria-label={texts.label(count('agent'), count('entity'), count('outcome'))}
        tabIndex={0}
        data-hovers={hovered === undefined ? undefined : ''}
        data-settled={layout && layout.done === layout.total ? '' : undefined}
        onKeyDown={onKeyDown}
        {...pointer}
      />
      {layout && hovered !== undefined && hovered !== selectedIndex && (
        <Hovered layout={layout} node={hovered} camera={camera.current} size={size} />
      )}
      <p className="unseen" aria-live="polite">
        {selectedIndex !== undefined && layout && sentenceOf(layout.model, selectedIndex)}
      </p>
      {model.nodes.length > MANY && (!layout || layout.done < layout.total) && (
        <div className={styles.progress}>
          <Progress
            label={texts.layingOut(layout?.done ?? 0, layout?.total ?? 100)}
            done={layout?.done ?? 0}
            total={layout?.total ?? 100}
          />
        </div>
      )}
      <div className={styles.zoom}>
        <Button
          icon="plus"
          aria-label={texts.zoomIn}
          onClick={() => move((now) => zoomed({ camera: now, size }, ZOOM_STEP))}
        />
        <Button
          icon="minus"
          aria-label={texts.zoomOut}
          onClick={() => move((now) => zoomed({ camera: now, size }, 1 / ZOOM_STEP))}
        />
        <Button onClick={() => move(fit)}>{texts.fit}</Button>
      </div>
    </div>
  );
}

function panOf(key: string): [number, number] {
  const pan: Record<string, [number, number]> = {
    ArrowRight: [-PAN_PX, 0],
    ArrowLeft: [PAN_PX, 0],
    ArrowDown: [0, -PAN_PX],
    ArrowUp: [0, PAN_PX],
  };
  return pan[key] ?? [0, 0];
}

function sentenceOf({ nodes, edgesOf }: MapModel, index: number): string {
  const { name, kind } = nodes[index] as MapNode;
  return texts.described(name, texts.kinds[kind], edgesOf[index]?.length ?? 0);
}

type HoveredProps = { layout: Layout; node: number; camera: Camera; size: ViewSize };

/** The name of what the pointer is over. */
function Hovered({ layout, node, camera, size }: HoveredProps) {
  const found = layout.model.nodes[node];
  if (!found) return null;
  const at = toScreen({ camera, size }, pointOf(layout.positions, node));
  const isRight = at.x > size.width / 2;
  const place = isRight ? { right: size.width - at.x } : { left: at.x };
  return (
    <div className={styles.tip} style={{ ...place, top: at.y + radiusPx(found, camera) + 4 }}>
      <span className={found.kind === 'agent' ? 'strong' : 'mono'}>{found.name}</span>
    </div>
  );
}

function useSize(canvas: React.RefObject<HTMLElement | null>): ViewSize {
  const [size, setSize] = useState<ViewSize>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [canvas]);
  return size;
}

/** Shows all of the graph until somebody moves it. The camera is no state: it changes with every frame of a move. */
function useCamera(layout: Layout | undefined, size: ViewSize) {
  const camera = useRef<Camera>({ x: 0, y: 0, scale: 1 });
  const isMoved = useRef(false);
  const fitting = useRef<Camera>({ x: 0, y: 0, scale: 1 });
  if (layout) fitting.current = fitted(layout.positions, size);
  if (!isMoved.current) camera.current = fitting.current;
  const moveBy = useCallback((next: (camera: Camera) => Camera) => {
    camera.current = next(camera.current);
    isMoved.current = camera.current !== fitting.current;
  }, []);
  const fit = useCallback(() => fitting.current, []);
  return { camera, moveBy, fit };
}

type Shown = {
  layout: Layout | undefined;
  size: ViewSize;
  camera: React.RefObject<Camera>;
  selected: number | undefined;
  found: ReadonlySet<number> | undefined;
};

function usePicture(canvas: React.RefObject<HTMLCanvasElement | null>, shown: Shown) {
  const { layout, size, camera, selected, found } = shown;
  const picture = useRef<Picture>(undefined);
  const theme = useTheme();
  useEffect(() => {
    if (canvas.current) picture.current = new Picture(canvas.current);
    return () => picture.current?.close();
  }, [canvas]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours.
  const colours = useMemo(
    () => (layout ? coloursOf(document.documentElement) : undefined),
    [theme, layout !== undefined],
  );
  useEffect(() => {
    if (!layout || !colours || size.width === 0) return;
    const { model, positions } = layout;
    const lit = selected === undefined ? found : neighbourhoodOf(model, selected);
    picture.current?.show({ model, positions, size, camera: camera.current, selected, lit, colours });
  }, [layout, size, selected, found, colours, camera]);
  return picture;
}
