// The list of sections says which one is being read.

export function followSections(): void {
  const links = new Map<Element, HTMLAnchorElement>();
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".contents a")) {
    const section = document.getElementById(link.hash.slice(1));
    if (section !== null) links.set(section, link);
  }
  // A section is read while it crosses a line a third down the window.
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) links.get(target)?.setAttribute("aria-current", "true");
        else links.get(target)?.removeAttribute("aria-current");
      }
    },
    { rootMargin: "-33% 0px -66% 0px" },
  );
  for (const section of links.keys()) observer.observe(section);
}
