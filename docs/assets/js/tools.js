// A page that holds a tool loads the tool's own module; other pages load none of them.

const failed = (root) => {
  const state = root.querySelector("[data-tool-state]");
  state.dataset.toolState = "error";
  state.textContent = root.getAttribute("data-say-broken");
};

const start = () => {
  for (const root of document.querySelectorAll("[data-tool]:not([data-started])")) {
    root.dataset.started = "";
    import(`./tools/${root.dataset.tool}.js`)
      .then((tool) => tool.start(root))
      .catch((error) => {
        failed(root);
        throw error;
      });
  }
};

if (typeof document$ === "undefined") start();
else document$.subscribe(start); // the theme emits at the first page and at each one after it
