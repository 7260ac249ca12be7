//! Published tables, as data.
//!
//! Modelled: the shape of `lessons/figures/*.json`. Left out: reading the files, which the caller does.
//! Invariants: every row has a value for each kernel; the first kernel is the baseline.

/// A published table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Stable id. Its experiment has the same id unless the table names another.
    pub id: String,
    /// The title for users.
    pub title: String,
    /// The experiment that it reports, if its id differs from the table's.
    pub experiment: Option<String>,
    /// Number of seeds of its committed runs, starting with the experiment's own: at least one.
    pub seeds: u64,
    /// Kernels, the baseline first.
    pub kernels: Vec<String>,
    /// Rows.
    pub rows: Vec<FigureRow>,
}

/// A row of a published table.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureRow {
    /// What was measured.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// One value for each kernel.
    pub values: Vec<f64>,
    /// The experiment of this row only.
    pub experiment: Option<String>,
    /// Why it is shown but not scored: values of the experiment were inferred from this row.
    pub unscored: Option<String>,
    /// The row of a run that is counted in the same way as the source, if its name differs from
    /// this row's.
    pub counted_as: Option<String>,
}

impl FigureRow {
    /// The metric of a run that is compared with it.
    pub fn counterpart(&self) -> &str {
        self.counted_as.as_ref().unwrap_or(&self.metric)
    }
}

impl Table {
    /// The modelled kernels of the table, in its order.
    pub fn modelled(&self) -> Vec<&str> {
        let kernels = self.kernels.iter().map(String::as_str);
        kernels
            .filter(|id| mm::kernel::find(id).is_some())
            .collect()
    }

    /// Can any part of the table be compared? This requires a modelled baseline, another modelled
    /// kernel, and all experiments of the table.
    ///
    /// # Errors
    /// A sentence that names what is missing.
    pub fn comparable(&self) -> Result<(), String> {
        let modelled = self.modelled();
        let baseline = self.kernels.first().map(String::as_str);
        if modelled.first().copied() != baseline || modelled.len() < 2 {
            let mut kernels = self.kernels.iter().map(String::as_str);
            let missing = kernels.find(|id| !modelled.contains(id));
            return Err(match missing {
                Some(id) => format!("there is no kernel {id:?} yet"),
                None => "it has no kernel besides its baseline".to_string(),
            });
        }
        match self.missing_experiment() {
            Some(id) => Err(format!("there is no experiment {id:?} yet")),
            None => Ok(()),
        }
    }

    /// The first experiment of the table that does not exist yet.
    pub fn missing_experiment(&self) -> Option<String> {
        let mut all = self.experiments().into_iter();
        all.find(|id| mm::experiment::preset(id).is_none())
    }

    /// The experiment that a row reports.
    pub fn experiment_of(&self, row: &FigureRow) -> String {
        let own = row.experiment.as_ref().or(self.experiment.as_ref());
        own.unwrap_or(&self.id).clone()
    }

    /// Every experiment of the table, each once.
    pub fn experiments(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for row in &self.rows {
            let id = self.experiment_of(row);
            if !out.contains(&id) {
                out.push(id);
            }
        }
        out
    }
}
